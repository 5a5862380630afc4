import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import type { Row } from '../http/csv.ts';
import type { Layout } from './layout.ts';
import type { Told } from './report.ts';
import type { Source } from './text/source.ts';

/** What every layout offers: rows going out, and rows coming in. */

export type Exporting = {
  readonly engine: Engine;
  readonly principal: Principal;
  readonly record: Snapshot;
  readonly layout: Layout;
  /** Whether a file of everything below goes all the way down; otherwise, of a service, as far as its schemas. */
  readonly isWhole: boolean;
};

/** Rows behind the header, some at a time. */
export type Exporter = (wish: Exporting) => AsyncIterable<readonly Row[]>;

export type Importing = Omit<Exporting, 'isWhole'> & {
  readonly source: Source;
  readonly isSafe: boolean;
  readonly dryRun: boolean;
  /** Called between rows; throws when the import should go no further. */
  readonly check: () => void;
  /** Told of a failure that nobody expected; only the row fails that it befell. */
  readonly wonder: (failure: unknown) => void;
};

/** What became of the rows, some at a time and in their order. */
export type Importer = (wish: Importing) => AsyncIterable<readonly Told[]>;
