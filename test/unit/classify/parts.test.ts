import { describe, expect, it } from "vitest";
import { changedPieces, restoredPieces } from "#classify/parts/parts";
import type { FilePart } from "#spec/task";

/** Checks whether an edit touches the part, and that the restored text has the original part. */
function check(
  part: FilePart,
  before: string,
  edit: (text: string) => string,
  isTouched: boolean,
): string | undefined {
  const now = edit(before);
  expect(now).not.toBe(before);
  expect(changedPieces(part, before, now).length > 0, now).toBe(isTouched);
  const restored = restoredPieces(part, before, now);
  if (restored !== undefined) expect(changedPieces(part, before, restored)).toEqual([]);
  return restored;
}

type Edits = readonly (readonly [label: string, edit: (text: string) => string])[];

function table(part: FilePart, text: string, free: Edits, refused: Edits): void {
  it.each(free)("allows: %s", (_label, edit) => {
    check(part, text, edit, false);
  });
  it.each(refused)("protects: %s", (_label, edit) => {
    check(part, text, edit, true);
  });
}

const swap = (from: string, to: string) => (text: string) => text.replace(from, to);
const add = (more: string) => (text: string) => text + more;

const MAKEFILE = `CC = cc
OBJS = a.o \\
  b.o
RUN := ./run
TESTS = one two
.PHONY: test build clean

all: build

build: $(OBJS)
	$(CC) -o app $(OBJS)

test: build $(TESTS)
	@$(RUN) \\
	  --all
	for t in $(TESTS); do ./$$t; done

clean:
	rm -f *.o
`;

describe("a make target", () => {
  table(
    { kind: "make-target", name: "test" },
    MAKEFILE,
    [
      ["another object", swap("  b.o", "  b.o c.o")],
      ["another prerequisite", swap("test: build", "test: build c.o")],
      ["another test", swap("TESTS = one two", "TESTS = one two three")],
      ["another target", add("\nrelease:\n\t./publish\n")],
      ["a recipe that the target does not need", swap("rm -f *.o", "rm -rf out")],
      ["a variable that the target does not use", add("\nCFLAGS += -O2\n")],
    ],
    [
      ["its recipe", swap("--all", "--none")],
      ["an ignored failure", swap("\tfor t", "\t-for t")],
      ["fewer tests", swap("TESTS = one two", "TESTS = one")],
      ["a removed prerequisite", swap("test: build", "test:")],
      ["the program that it runs", swap("RUN := ./run", "RUN := true")],
      ["the compiler", swap("CC = cc", "CC = true")],
      ["a second rule for it", add("\ntest:\n\ttrue\n")],
      ["a variable of the target", add("\ntest: RUN = true\n")],
      ["a target that is no longer phony", swap(".PHONY: test build clean", ".PHONY: build clean")],
      ["another shell", add("\nSHELL = /bin/true\n")],
      ["an included file", add("\ninclude more.mk\n")],
      ["the recipe it depends on", swap("-o app $(OBJS)", "-o app; touch ok")],
      ["a deleted target", (text) => text.replace(/^test:[\s\S]*?done\n/m, "")],
    ],
  );

  it("is restored without reverting other edits", () => {
    const part: FilePart = { kind: "make-target", name: "test" };
    const edited = MAKEFILE.replace("  b.o", "  b.o c.o").replace("--all", "--none");
    expect(restoredPieces(part, MAKEFILE, edited)).toBe(MAKEFILE.replace("  b.o", "  b.o c.o"));
  });

  it("defaults to the first target, which has to stay first", () => {
    const part: FilePart = { kind: "make-target", name: "" };
    check(part, MAKEFILE, swap("all: build", "none:\n\nall: build"), true);
    check(part, MAKEFILE, swap("--all", "--none"), false);
  });
});

describe("a just recipe", () => {
  table(
    { kind: "just-recipe", name: "test" },
    "runner := 'pytest'\n\nbuild:\n    cc a.c\n\ntest: build\n    {{runner}} -q\n\nrelease:\n    ./publish\n",
    [
      ["another recipe", add("\nlint:\n    ruff check\n")],
      ["another dependency", swap("test: build", "test: build gen")],
      ["an unrelated recipe", swap("./publish", "./publish --dry")],
    ],
    [
      ["its body", swap("-q", "-q || true")],
      ["its variable", swap("'pytest'", "'true'")],
      ["its dependency", swap("cc a.c", "true")],
      ["a setting", add("\nset shell := ['true']\n")],
    ],
  );
});

const RUST = `//! A crate.
pub fn add(a: i32, b: i32) -> i32 { a - b } // '{' "
const OPEN: char = '{';
fn quoted<'a>(x: &'a str) -> String { format!("{{{x}}}") }

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds() {
        assert_eq!(add(1, 2), 3);
        assert_eq!(quoted(r#"}"#), "{}}");
    }
}
`;

describe("inline tests of Rust", () => {
  table(
    { kind: "rust-tests" },
    RUST,
    [
      ["the source", swap("a - b", "a + b")],
      ["one more test", swap("    #[test]", "    #[test]\n    fn more() { assert!(true); }\n\n    #[test]")],
      ["one more module", add("\n#[cfg(test)]\nmod more {\n    #[test]\n    fn a() {}\n}\n")],
      ["white space", swap("    use super::*;\n", "    use super::*;\n\n\n")],
    ],
    [
      ["an assertion", swap("add(1, 2), 3", "add(1, 2), -1")],
      ["an ignored test", swap("#[test]", "#[test]\n    #[ignore]")],
      ["a test without its attribute", swap("    #[test]\n", "")],
      ["a module that is never built", swap("#[cfg(test)]", "#[cfg(all(test, never))]")],
      [
        "a function that shadows the tested one",
        swap("use super::*;", "use super::*;\n    fn add(_: i32, _: i32) -> i32 { 3 }"),
      ],
      ["deleted tests", (text) => text.slice(0, text.indexOf("#[cfg(test)]"))],
    ],
  );

  const MACROS = "#[cfg(test)]\nmod tests {\n    sum! { one, 1, 2 }\n}\n";
  const changesIn = (now: string) => changedPieces({ kind: "rust-tests" }, MACROS, now).length;

  it("may grow only by calls of macros that the tests already call", () => {
    expect(changesIn(MACROS.replace("}\n}", "}\n    sum! { two, 2, 4 }\n}"))).toBe(0);
    expect(changesIn(MACROS.replace("}\n}", "}\n    other! { two, 2, 4 }\n}"))).toBe(1);
    expect(changesIn(MACROS.replace("}\n}", "}\n    macro_rules! sum { () => {} }\n}"))).toBe(1);
    expect(changesIn(MACROS.replace("1, 2", "1, 3"))).toBe(1);
  });

  it("are restored without reverting the source", () => {
    const edited = RUST.replace("a - b", "a + b").replace("add(1, 2), 3", "add(1, 2), -1");
    expect(restoredPieces({ kind: "rust-tests" }, RUST, edited)).toBe(RUST.replace("a - b", "a + b"));
  });
});

describe("a table of TOML", () => {
  table(
    { kind: "toml", name: "tool.pytest" },
    '[project]\nname = "x"\ndependencies = [\n  "a",\n]\n\n[tool.pytest.ini_options]\n# why\naddopts = "-q"\ntestpaths = ["tests"]\n\n[tool.ruff]\nline-length = 100\n',
    [
      ["a dependency", swap('"a",', '"a",\n  "b",')],
      ["another tool", swap("100", "120")],
      ["a comment", swap("# why", "# because")],
    ],
    [
      ["a setting", swap('"-q"', '"-q --ignore=tests"')],
      ["one more setting", swap('addopts = "-q"', 'addopts = "-q"\nnorecursedirs = "tests"')],
      ["a deleted table", (text) => text.replace(/\[tool\.pytest[\s\S]*?\n\n/, "")],
      ["another subtable", add("\n[tool.pytest.other]\na = 1\n")],
    ],
  );

  it.each(["[lib]\nname = 'x'\ntest = false\n", "lib.test = false\n", "lib = { test = false }\n"])(
    "may be a single key: %j",
    (text) => {
      expect(changedPieces({ kind: "toml", name: "lib.test" }, "[lib]\nname = 'x'\n", text)).toHaveLength(1);
    },
  );

  it("may be an array table", () => {
    const before = '[package]\nname = "x"\n\n[[test]]\nname = "it"\n';
    expect(changedPieces({ kind: "toml", name: "test" }, before, `${before}test = false\n`)).toHaveLength(1);
    expect(changedPieces({ kind: "toml", name: "test" }, before, before.replace('"x"', '"y"'))).toEqual([]);
  });
});

const POM = `<?xml version="1.0"?>
<project>
  <artifactId>a</artifactId>
  <properties>
    <java.version>17</java.version>
    <skip.slow>false</skip.slow>
    <skipTests>false</skipTests>
  </properties>
  <modules>
    <module>core</module>
    <module>web</module>
  </modules>
  <dependencies>
    <dependency><artifactId>junit</artifactId></dependency>
  </dependencies>
  <build>
    <testSourceDirectory>src/test/java</testSourceDirectory>
    <plugins>
      <plugin>
        <artifactId>maven-compiler-plugin</artifactId>
        <configuration><release>17</release></configuration>
      </plugin>
      <plugin>
        <artifactId>maven-surefire-plugin</artifactId>
        <configuration>
          <!-- slow ones are skipped on demand -->
          <skip>\${skip.slow}</skip>
        </configuration>
      </plugin>
    </plugins>
  </build>
</project>
`;

describe("the test settings of Maven", () => {
  const part: FilePart = { kind: "maven-tests" };
  const dependency = "<dependency><artifactId>guava</artifactId></dependency>";
  table(
    part,
    POM,
    [
      ["a dependency", swap("  </dependencies>", `    ${dependency}\n  </dependencies>`)],
      ["a property of the build", swap("<java.version>17", "<java.version>21")],
      ["another plugin", swap("<release>17", "<release>21")],
      ["one more module", swap("<module>web", "<module>cli</module>\n    <module>web")],
      ["a comment", swap("slow ones", "the slow ones")],
      ["white space", swap("<skip>$", "<skip>\n            $")],
    ],
    [
      ["a property that the runner reads", swap("<skipTests>false", "<skipTests>true")],
      [
        "another property that the runner reads",
        swap("<skipTests>", "<maven.test.skip>true</maven.test.skip><skipTests>"),
      ],
      ["ignored failures", swap("<skipTests>", "<maven.test.failure.ignore/><skipTests>")],
      ["a property that the runner's settings name", swap("<skip.slow>false", "<skip.slow>true")],
      [
        "a setting of the runner",
        swap("<skip>", "<excludes><exclude>**/*Test*</exclude></excludes>\n          <skip>"),
      ],
      [
        "the runner commented out",
        (text) => text.replace(/<plugin>\s*<artifactId>maven-sure[\s\S]*?<\/plugin>/, "<!-- $& -->"),
      ],
      [
        "the runner in a profile",
        swap(
          "</project>",
          "<profiles><profile><id>x</id><build><plugins><plugin><artifactId>maven-failsafe-plugin</artifactId></plugin></plugins></build></profile></profiles></project>",
        ),
      ],
      ["the folder of tests", swap("src/test/java<", "src/none<")],
      [
        "tests that are not compiled",
        swap("<release>", "<testExcludes><testExclude>**</testExclude></testExcludes><release>"),
      ],
      ["a removed module", swap("    <module>web</module>\n", "")],
      [
        "a packaging without tests",
        swap("<artifactId>a</artifactId>", "<artifactId>a</artifactId><packaging>pom</packaging>"),
      ],
    ],
  );

  it("are restored without removing a new dependency", () => {
    const grown = POM.replace("  </dependencies>", `    ${dependency}\n  </dependencies>`);
    expect(restoredPieces(part, POM, grown.replace("<skipTests>false", "<skipTests>true"))).toBe(grown);
  });

  it("cannot be restored alone when an element is missing", () => {
    expect(restoredPieces(part, POM, POM.replace("<skipTests>false</skipTests>", ""))).toBeUndefined();
  });
});

describe("the test settings of Gradle", () => {
  const GROOVY = `plugins { id 'java' }
dependencies {
    testImplementation 'junit:junit:4.13'
}
test {
    useJUnitPlatform() // }
    systemProperty 'brace', '}'
}
tasks.named('jar') {
    enabled = true
}
`;
  table(
    { kind: "gradle-tests" },
    GROOVY,
    [
      ["a dependency", swap("'junit:junit:4.13'", "'junit:junit:4.13'\n    implementation 'a:b:1'")],
      ["another task", swap("enabled = true", "enabled = false")],
      ["a comment in the block", swap("// }", "// { }")],
      ["a dependency of a source set", add("commonTest.dependencies { implementation(kotlin('test')) }\n")],
    ],
    [
      ["the test block", swap("useJUnitPlatform()", "useJUnitPlatform()\n    exclude '**/*'")],
      ["the block commented out", (text) => text.replace(/^test \{[\s\S]*?^\}/m, "/* $& */")],
      ["the enabled flag", add("test.enabled = false\n")],
      ["the onlyIf condition of the task", add("tasks.test.onlyIf { false }\n")],
      ["all tasks of type Test", add("tasks.withType(Test) { ignoreFailures = true }\n")],
      [
        "all tasks of type Test, configured lazily",
        add("tasks.withType<Test>().configureEach { enabled = false }\n"),
      ],
      ["the task by its name", add("tasks.named('test').configure { enabled = false }\n")],
      ["a block inside another one", add("allprojects { test { enabled = false } }\n")],
    ],
  );

  it("are restored without removing a new dependency", () => {
    const grown = GROOVY.replace("4.13'", "4.13'\n    implementation 'a:b:1'");
    const edited = grown.replace("useJUnitPlatform()", "enabled = false");
    expect(restoredPieces({ kind: "gradle-tests" }, GROOVY, edited)).toBe(grown);
  });
});

describe("tests inside source files", () => {
  table(
    { kind: "doctests" },
    'def add(a, b):\n    """Adds.\n\n    >>> add(1, 2)\n    3\n    >>> for i in range(1):\n    ...     print(i)\n    0\n\n    Text.\n    """\n    return a - b\n',
    [
      ["the source", swap("a - b", "a + b")],
      ["the text", swap("Text.", "More text.")],
      ["one more example", swap("    Text.", "    >>> add(2, 2)\n    4\n\n    Text.")],
      ["the indentation", swap("    >>> add(1, 2)\n    3", "  >>> add(1, 2)\n  3")],
    ],
    [
      ["the expected output", swap("    3\n", "    -1\n")],
      ["a removed example", swap("    >>> add(1, 2)\n    3\n", "")],
      ["a skipped example", swap(">>> add(1, 2)", ">>> add(1, 2)  # doctest: +SKIP")],
      ["a continuation", swap("print(i)", "print(0)")],
    ],
  );

  table(
    { kind: "vitest-blocks" },
    "export const add = (a, b) => a - b;\n\nif (import.meta.vitest) {\n  const { it, expect } = import.meta.vitest;\n  it('adds', () => {\n    expect(add(1, 2)).toBe(3);\n  });\n}\n\nexport const two = 2;\n",
    [
      ["the source", swap("a - b", "a + b")],
      ["the source below", swap("two = 2", "two = 3")],
    ],
    [
      ["an assertion", swap("toBe(3)", "toBe(-1)")],
      ["a deleted block", (text) => text.replace(/^if[\s\S]*?^\}\n/m, "")],
      ["a block that never runs", swap("if (import.meta.vitest)", "if (false)")],
    ],
  );
});

describe("other parts", () => {
  it("protects one section of an INI file", () => {
    const part: FilePart = { kind: "ini", name: "tool:pytest" };
    const text = "[metadata]\nname = x\n\n[tool:pytest]\naddopts =\n  -q\n";
    check(part, text, swap("name = x", "name = y"), false);
    check(part, text, swap("-q", "--co"), true);
  });

  it("protects existing calls in a build file and allows new tests", () => {
    const part: FilePart = { kind: "calls", name: "enable_testing,add_test,set_tests_properties" };
    const text = "add_library(a a.c)\nenable_testing()\nadd_test(NAME a\n  COMMAND a_test)\n";
    check(part, text, swap("a.c", "a.c b.c"), false);
    check(part, text, add("add_test(NAME b COMMAND b_test)\n"), false);
    check(part, text, swap("COMMAND a_test", "COMMAND true"), true);
    check(part, text, add("set_tests_properties(a PROPERTIES WILL_FAIL ON)\n"), true);
    check(part, text, swap("enable_testing()\n", ""), true);
  });

  it("protects a Go package against a new TestMain", () => {
    const part: FilePart = { kind: "go-main" };
    expect(changedPieces(part, "", "package a\nfunc TestA(t *testing.T) {}\n")).toEqual([]);
    expect(changedPieces(part, "", "package a\nfunc TestMain(m *testing.M) {\n}\n")).toHaveLength(1);
  });

  it("allows a new file only while it is empty", () => {
    expect(changedPieces({ kind: "content" }, "", " \n")).toEqual([]);
    expect(changedPieces({ kind: "content" }, "", "import sys\n")).toHaveLength(1);
  });
});
