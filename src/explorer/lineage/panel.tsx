import { type ReactNode, useEffect, useId, useRef } from 'react';
import './panel.css';

type PanelProps = {
  readonly title: ReactNode;
  readonly onClose: () => void;
  /** What the focus returns to when the element from which the panel was opened is gone, as a selector. */
  readonly returnTo?: string | undefined;
  /** What makes the panel look otherwise. */
  readonly className?: string;
  readonly children: ReactNode;
};

/** Gives the focus back to where it was, or to what stands for it in the graph. */
const returnFocus = (from: Element | null, returnTo: string | undefined): void => {
  const isFocusable = from instanceof HTMLElement || from instanceof SVGElement;
  const isUsable = isFocusable && from.isConnected && from !== document.body;
  const target = isUsable ? from : returnTo === undefined ? null : document.querySelector<HTMLElement>(returnTo);
  target?.focus({ preventScroll: true });
};

/** What stands beside the graph, or below it on a phone. It takes the focus when it opens, and Escape closes it. */
export const Panel = ({ title, onClose, returnTo, className = '', children }: PanelProps) => {
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  useEffect(() => {
    const from = document.activeElement;
    heading.current?.focus({ preventScroll: true });
    return () => {
      // Another panel that takes the place of this one has the focus already.
      if (document.activeElement === document.body || document.activeElement === null) returnFocus(from, returnTo);
    };
  }, [returnTo]);
  return (
    <aside
      className={`panel ${className}`}
      aria-labelledby={id}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || event.defaultPrevented) return;
        event.stopPropagation();
        onClose();
      }}
    >
      <div className="panel-head">
        <h2 id={id} ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <button type="button" className="button" onClick={onClose}>
          Close
        </button>
      </div>
      {children}
    </aside>
  );
};
