import type { Principal } from '../../access/principal.ts';
import type { CatalogError } from '../../errors.ts';
import { hintHeaders } from '../../http/hint.ts';
import type { Engine } from '../engine.ts';
import { findNameHint } from './name-hint.ts';

/** Collects what may help a caller with the rows of a bulk operation that failed. */
export type HintCollector = {
  /** Takes what a failure says, or the right name of a record that was not found. */
  readonly add: (failure: CatalogError) => Promise<void>;
  /** Whether nothing more will be taken. */
  readonly isFull: () => boolean;
  readonly all: () => readonly string[];
  readonly headers: () => Readonly<Record<string, string>>;
};

/** The maximum number of different hints, and of failures that are looked into. */
const MAX_HINTS = 5;
const MAX_FAILURES = 20;

export const joinHints = (hints: readonly string[]): string => hints.join('; ');

/** `known` are the hints that earlier parts of the same operation have collected. */
export const createHintCollector = (
  engine: Engine,
  principal: Principal,
  known: readonly string[] = [],
): HintCollector => {
  const hints = new Set(known);
  let failures = 0;
  const isFull = () => hints.size >= MAX_HINTS || failures >= MAX_FAILURES;
  const add = async ({ hint, missing }: CatalogError): Promise<void> => {
    if (isFull() || (hint === undefined && missing === undefined)) return;
    failures += 1;
    const found = hint ?? (missing && (await findNameHint(engine, principal, missing)));
    if (found !== undefined && hints.size < MAX_HINTS) hints.add(found);
  };
  return { add, isFull, all: () => [...hints], headers: () => hintHeaders(joinHints([...hints])) };
};
