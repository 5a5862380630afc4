import type { ReactNode } from 'react';
import { describeFailure, isFinal } from '../api/failure.ts';
import './states.css';

/** What a page shows in place of data: while it is waited for, when it failed, and when there is none. */

export const Waiting = ({ what }: { readonly what: string }) => (
  <div className="waiting" role="status">
    <span className="pulse" aria-hidden="true" />
    Waiting for {what} …
  </div>
);

type FailureProps = { readonly failure: unknown; readonly again?: (() => void) | undefined };

export const Failure = ({ failure, again }: FailureProps) => (
  <div className="notice bad" role="alert">
    <p>{describeFailure(failure)}</p>
    {again && !isFinal(failure) && (
      <button type="button" className="button" onClick={again}>
        Try again
      </button>
    )}
  </div>
);

export const Nothing = ({ children }: { readonly children: ReactNode }) => <p className="nothing">{children}</p>;
