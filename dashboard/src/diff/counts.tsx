// Number of added and removed lines.
export function Counts({ added, removed }: { added: number; removed: number }) {
  return (
    <span class="counts">
      <span class="count-added">+{added}</span> <span class="count-removed">−{removed}</span>
      <span class="visually-hidden"> lines</span>
    </span>
  );
}
