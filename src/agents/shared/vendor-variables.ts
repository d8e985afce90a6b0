// Environment variables of model and agent vendors: keys, endpoints and settings that a command may need.
export const VENDOR_VARIABLES: readonly string[] = (
  "ANTHROPIC_* CLAUDE_* OPENAI_* CODEX_* AZURE_OPENAI_* GEMINI_* GOOGLE_* AWS_* MISTRAL_* GROQ_* OPENROUTER_* XAI_* " +
  "DEEPSEEK_* QWEN_* DASHSCOPE_* CURSOR_* COPILOT_* GH_TOKEN GITHUB_TOKEN AMP_* GOOSE_* AIDER_* OPENCODE_* OLLAMA_* " +
  "IS_SANDBOX"
).split(" ");
