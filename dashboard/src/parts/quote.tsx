// Untrusted text, preformatted, never as markup.

export function Quote({ text, label }: { text: string; label: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: long text scrolls, also by keys.
    <section class="quote" tabIndex={0} aria-label={label}>
      <pre>{text}</pre>
    </section>
  );
}
