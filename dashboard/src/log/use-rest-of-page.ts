// How high something may be so that it ends with the window: what is at work writes its newest line at the end.
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
    // What stands above it may become higher or lower as well.
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
