// Reads a colour of the style sheet for canvas drawings, which cannot use custom properties.

export function colourOf(host: HTMLElement, property: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${property})`;
  host.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
