// Height that lets an element end at the bottom of the window, so that the newest log line is visible.
import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";

const MARGIN = 34;

export function useRestOfPage(element: RefObject<HTMLElement | null>): number {
  const [height, setHeight] = useState(0);
  useLayoutEffect(() => {
    const fit = () => {
      const top = (element.current?.getBoundingClientRect().top ?? 0) + scrollY;
      setHeight(Math.max(innerHeight - top - MARGIN, 0));
    };
    fit();
    // Content above the element may change its height, too.
    const observer = new ResizeObserver(fit);
    observer.observe(document.body);
    addEventListener("resize", fit);
    return () => {
      observer.disconnect();
      removeEventListener("resize", fit);
    };
  }, [element]);
  return height;
}
