import { describe, expect, it } from "vitest";
import { parseDiff } from "#report/diffs";

const DIFF = `diff --git a/one.ts b/one.ts
index 1..2 100644
--- a/one.ts
+++ b/one.ts
@@ -1,2 +1,2 @@
-diff --git a/fake b/fake
+++ b/other
 kept
diff --git a/gone b/gone
deleted file mode 100644
--- a/gone
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/picture.png b/picture.png
index 1..2 100644
Binary files a/picture.png and b/picture.png differ
diff --git "a/odd\\tname" "b/odd\\tname"
new file mode 100644
--- /dev/null
+++ "b/odd\\tname"
@@ -0,0 +1 @@
+x
`;

describe("parsing a diff", () => {
  it("splits files at git's own lines, never at file content", () => {
    expect(parseDiff(DIFF).map(({ path }) => path)).toEqual([
      "one.ts",
      "gone",
      "picture.png",
      '"odd\\tname"',
    ]);
    expect(parseDiff("")).toEqual([]);
  });
});
