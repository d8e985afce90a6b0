// Names of the parts of an iteration that have logs. Gates have logs under their own names.

export const AGENT_PART = "agent";
export const SETUP_PART = "clean-room set-up";
export const MEMORY_PART = "memory";
