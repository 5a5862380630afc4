import type { Json } from '../json.ts';

/** How to redact a value for callers who may not see the data of some columns, and how to read it back from them. */
export type ValueRedaction = {
  /** The member that holds the columns whose data was sensitive when the value was stored, as the value names them. */
  readonly masks: string;
  readonly columnsOf: (value: Json) => readonly string[];
  readonly redact: (value: Json, isHidden: (column: string) => boolean) => Json;
  /** Restores the redacted parts of a value that a caller changed and sent back. */
  readonly restoreRedacted: (given: Json, stored: Json, isHidden: (column: string) => boolean) => Json;
};
