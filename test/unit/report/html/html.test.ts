import { describe, expect, it } from "vitest";
import { type Child, html } from "#report/html/html";

const EVIL = `</script><img src=x onerror="alert('1')">&`;
const ESCAPED = "&lt;/script&gt;&lt;img src=x onerror=&quot;alert(&#39;1&#39;)&quot;&gt;&amp;";

describe("html templates", () => {
  it("escapes text in elements, attributes and lists", () => {
    expect(String(html`<p title="${EVIL}">${EVIL}${[EVIL, [EVIL]]}</p>`)).toBe(
      `<p title="${ESCAPED}">${ESCAPED}${ESCAPED}${ESCAPED}</p>`,
    );
  });

  it("keeps the markup of nested templates, and escapes it after conversion to a string", () => {
    const part = html`<b>${"<"}</b>`;
    expect(String(html`<p>${part}${[part]}</p>`)).toBe("<p><b>&lt;</b><b>&lt;</b></p>");
    expect(String(html`<p>${`${part}`}</p>`)).toBe("<p>&lt;b&gt;&amp;lt;&lt;/b&gt;</p>");
  });

  it("renders zero, but nothing for absent parts", () => {
    expect(String(html`<p>${0}${false}${undefined}${[]}</p>`)).toBe("<p>0</p>");
  });

  it("strips control characters from text", () => {
    expect(String(html`<p>${"a\u001b[31mb\u202ec"}</p>`)).toBe("<p>abc</p>");
  });

  it("refuses a promise", () => {
    const promise = Promise.resolve("x") as unknown as Child;
    expect(() => html`<p>${promise}</p>`).toThrow("expected no promise");
  });
});
