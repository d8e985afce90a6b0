// Hook for the visible columns of a wide table; stays at the end while new columns arrive.
import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useWidth } from "../../parts/use-width.ts";
import { type Window, windowOf } from "./window.ts";

export function useWindow(box: RefObject<HTMLElement | null>, column: number, columns: number): Window {
  const width = useWidth(box);
  const [scroll, setScroll] = useState(0);
  const atEnd = useRef(true);
  useEffect(() => {
    const { current } = box;
    if (!current) return;
    const read = () => {
      atEnd.current = current.scrollLeft + current.clientWidth >= current.scrollWidth - column;
      setScroll(current.scrollLeft);
    };
    current.addEventListener("scroll", read, { passive: true });
    return () => current.removeEventListener("scroll", read);
  }, [box, column]);
  useLayoutEffect(() => {
    if (atEnd.current && box.current) box.current.scrollLeft = box.current.scrollWidth;
  }, [columns, width]);
  return windowOf({ scroll, width, column, columns });
}
