import { describe, expect, it } from "vitest";
import { installGemini, uninstallGemini } from "#hooks/install/gemini";
import { installPlace } from "../../support/install-place.ts";

const OTHERS = `{
    "model": {
        "name": "gemini-2.5-flash",
        "disableLoopDetection": true
    },
    "hooks": {
        "AfterAgent": [
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": "mine"
                    }
                ]
            }
        ]
    },
    "ui": {}
}
`;

describe("installing session loops for Gemini CLI", () => {
  it.each([
    ["user", "home/.gemini"],
    ["project", "project/.gemini"],
  ] as const)("puts hooks and commands into the %s's settings", (scope, folder) => {
    const place = installPlace();
    expect(installGemini(place[scope]).done).toHaveLength(4);
    const { hooks } = JSON.parse(place.read(`${folder}/settings.json`));
    expect(Object.keys(hooks)).toEqual(["BeforeAgent", "AfterAgent", "SessionEnd"]);
    expect(hooks.AfterAgent).toEqual([
      {
        hooks: [
          {
            type: "command",
            name: "converge",
            command: expect.stringMatching(/converge\.js hook gemini-after$/),
            timeout: 86_400_000,
          },
        ],
      },
    ]);
    // The hook for the end of a session has no long timeout.
    expect(hooks.SessionEnd[0].hooks[0]).not.toHaveProperty("timeout");
    const toml = place.read(`${folder}/commands/cancel-ralph.toml`);
    expect(toml).toContain('\nprompt = """/cancel-ralph {{args}}"""\n');
    expect(toml).toMatch(/^# Part of converge-loop: /);
  });

  it("uses GEMINI_CLI_HOME when it is set", () => {
    const place = installPlace();
    installGemini({ ...place.user, env: { ...place.user.env, GEMINI_CLI_HOME: `${place.root}/elsewhere` } });
    expect(Object.keys(place.all())).toContain("elsewhere/.gemini/settings.json");
  });

  it("keeps settings, other hooks, order and indentation, and restores them", () => {
    const place = installPlace();
    const file = "home/.gemini/settings.json";
    place.write(file, OTHERS);
    installGemini(place.user);
    const settings = JSON.parse(place.read(file));
    expect(Object.keys(settings)).toEqual(["model", "hooks", "ui"]);
    expect(settings.hooks.AfterAgent[0].hooks[0].command).toBe("mine");
    const before = place.all();
    expect(installGemini(place.user).done).toEqual([]);
    expect(place.all()).toEqual(before);
    uninstallGemini(place.user);
    expect(place.all()).toEqual({ [file]: OTHERS });
  });

  it("keeps comments and trailing commas, and restores them", () => {
    const place = installPlace();
    const file = "home/.gemini/settings.json";
    const text = `{
  // The theme of the team.
  "ui": { "theme": "GitHub", }, // do not change
  "hooks": {
    /* Formats what was written. */
    "AfterTool": [],
    "AfterAgent": [
      { "hooks": [{ "type": "command", "command": "mine" }] }, // rings a bell
    ],
  },
}
`;
    place.write(file, text);
    installGemini(place.user);
    const after = place.read(file);
    for (const line of text.split("\n")) expect(after.split("\n")).toContain(line);
    expect(after).toContain("hook gemini-after");
    expect(installGemini(place.user).done).toEqual([]);
    uninstallGemini(place.user);
    expect(place.all()).toEqual({ [file]: text });
  });

  it("rejects settings that are not JSON, and changes nothing", () => {
    const place = installPlace();
    const text = '{\n  mine\n  "ui": {}\n}\n';
    place.write("home/.gemini/settings.json", text);
    expect(() => installGemini(place.user)).toThrow(/settings\.json: expected JSON, .*Nothing was changed/s);
    expect(place.all()).toEqual({ "home/.gemini/settings.json": text });
  });

  it("rejects a foreign command file before anything is written", () => {
    const place = installPlace();
    const theirs = { "home/.gemini/commands/ralph-status.toml": 'prompt = "mine"\n' };
    for (const [file, text] of Object.entries(theirs)) place.write(file, text);
    expect(() => installGemini(place.user)).toThrow(
      "ralph-status.toml: expected no command of this name, got one that Converge did not write; rename it, and try again. Nothing was changed",
    );
    expect(place.all()).toEqual(theirs);
    expect(uninstallGemini(place.user).done).toEqual([]);
    expect(place.all()).toEqual(theirs);
  });

  it("updates our commands", () => {
    const place = installPlace();
    installGemini(place.user);
    const status = "home/.gemini/commands/ralph-status.toml";
    const now = place.read(status);
    place.write(status, now.replace("Tells", "Told"));
    expect(installGemini(place.user).done).toEqual([`Wrote ${place.root}/${status}.`]);
    expect(place.read(status)).toBe(now);
    uninstallGemini(place.user);
    expect(place.all()).toEqual({});
  });

  it("reports settings that interfere with a loop", () => {
    const place = installPlace();
    const notes = () => installGemini(place.user).notes.join("\n");
    expect(notes()).toContain("disableLoopDetection");
    place.write("home/.gemini/settings.json", '{"hooksConfig":{"enabled":false}}');
    expect(notes()).toContain('"hooksConfig.enabled" is false');
    place.write("home/.gemini/settings.json", OTHERS);
    expect(notes()).not.toMatch(/disableLoopDetection|hooksConfig/);
  });
});
