import type { CatalogAnswer } from '../../catalog-client.ts';
import type { Move } from '../move-command.ts';
import type { FitRoom } from './fit-request.ts';
import type { KnownFields } from './read-collection.ts';
import { addTo, createTally, type MoveTally } from './tally.ts';
import type { RefusedRow, Target } from './target-client.ts';

/** What the parts of an import from OpenMetadata share. */
export type ImportRoom = {
  readonly move: Move;
  readonly tally: MoveTally;
  readonly target: Target;
  readonly fit: FitRoom;
  readonly known: KnownFields;
  /** What does not come, by type and name, so that nothing refers to it. */
  readonly absent: Set<string>;
  /** Enumerations of one choice, whose values the other catalog lists all the same. */
  readonly choices: Set<string>;
  /** Rows to try once more when everything that they may refer to is there. */
  readonly later: LaterRow[];
};

export type LaterRow = { readonly type: string; readonly path: string; readonly refused: RefusedRow };

export const absentKey = (type: string, name: string): string => `${type} ${name.toLowerCase()}`;

/** The key of a custom property in sets. */
export const propertyKey = (type: string, name: string): string => absentKey(`property of ${type}`, name);

export const createRoom = (move: Move, tally: MoveTally, target: Target): ImportRoom => {
  const absent = new Set<string>();
  return {
    move,
    tally,
    target,
    absent,
    choices: new Set(),
    known: new Map(),
    later: [],
    fit: {
      schemas: target.schemas,
      isAbsent: (type, name) => absent.has(absentKey(type, name)),
      onLeftOut: (what) => addTo(tally.leftOut, what),
    },
  };
};

/** A room that tells nothing: what it writes is written again, and then told. */
export const quietly = (room: ImportRoom): ImportRoom => ({
  ...room,
  tally: createTally(),
  fit: { ...room.fit, onLeftOut: () => undefined },
});

/** Shows how far a collection is. */
export const showProgress = ({ move }: ImportRoom, what: string, done: number, total: number): void =>
  move.input.output.progress(`${what}: ${done.toLocaleString('en')} of ${total.toLocaleString('en')}`);

/** Whether the service has a record of this name already. */
export const existsInTarget = async ({ target }: ImportRoom, path: string, fqn: string): Promise<boolean> =>
  (await target.find(`${path}/name/${encodeURIComponent(fqn)}?include=all`)) !== undefined;

export const isSystem = ({ provider }: CatalogAnswer): boolean => provider === 'system';
