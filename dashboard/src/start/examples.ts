// Example task files.
export interface Example {
  readonly name: string;
  readonly text: string;
}

export const EXAMPLES: readonly Example[] = [
  {
    name: "Make the tests pass",
    text: `prompt: Make the tests pass without changing them.
gates:
  - name: tests
    command: npm test
    timeout: 5m
limits: { iterations: 10, time: 1h, cost: 5 }
`,
  },
  {
    name: "In a worktree, delivered as a branch",
    text: `prompt: |
  Replace the deprecated calls of the HTTP client.
  Keep the public functions as they are.
workspace: worktree
gates:
  - name: types
    command: npx tsc --noEmit
  - name: tests
    command: npm test
    timeout: 5m
strategy: { type: hybrid, baseIterations: 4, bonusIterations: 3 }
limits: { iterations: 12, time: 2h, cost: 10 }
deliver: branch
`,
  },
  {
    name: "Approved by a person",
    text: `prompt: Rewrite the section on installing in README.md for newcomers.
gates:
  - name: links
    command: ./scripts/check-links.sh
  - name: looks good
    type: approval
limits: { iterations: 5 }
`,
  },
  {
    name: "Any program as the agent",
    text: `prompt: Make ./check.sh succeed.
agent: { type: command, command: "./agent.sh" }
gates:
  - ./check.sh
strategy: { type: fixed, iterations: 3 }
limits: { iterations: 3, time: 10m }
`,
  },
];
