import { describe, expect, it } from "vitest";
import { findBlocker } from "#agents/shared/find-blocker";
import { temporary, write } from "../../support/folders.ts";

const blockerOf = (command: string | readonly string[], files: Record<string, string> = {}) => {
  const dir = temporary();
  write(dir, files);
  return findBlocker(command, dir, "install it");
};

describe("findBlocker", () => {
  it.each<[string | readonly string[], string]>([
    ["no-such-agent", "no-such-agent: command not found; install it"],
    [["no-such-agent", "--fix"], "no-such-agent: command not found; install it"],
    ["./gone.sh < prompt", "./gone.sh: command not found; install it"],
    ["MODE=fast no-such-agent | tee log", "no-such-agent: command not found; install it"],
  ])("finds the missing program of %j", (command, reason) => {
    expect(blockerOf(command)).toBe(reason);
  });

  it.each([
    "node --version",
    "echo x",
    "file=$(sed -n s/x/y/p f); cat $file",
    "MODE='a b' no-such-agent",
    "f() { echo x; }; f",
    "if true; then no-such-agent; fi",
    "$AGENT --fix",
    "true && no-such-agent",
  ])("leaves %j to the shell", (command) => {
    expect(blockerOf(command)).toBeUndefined();
  });

  it("names a script that cannot be executed, a carriage return, and a missing interpreter", () => {
    expect(blockerOf("./a.txt", { "a.txt": "" })).toBe("./a.txt is not executable; run: chmod +x ./a.txt");
    expect(blockerOf("./a.sh", { "a.sh": "#!/bin/sh\r\n" })).toContain("ends in a carriage return");
    expect(blockerOf("./a.sh", { "a.sh": "#!/no/such/shell\n" })).toBe(
      "./a.sh needs /no/such/shell, which is not installed",
    );
  });
});
