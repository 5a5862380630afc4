import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import type { CsvRow } from '../http/csv-writer.ts';
import type { RowReport } from './import-report.ts';
import type { CsvLayout } from './layout.ts';
import type { TextSource } from './text/text-source.ts';

/** What every layout offers: rows going out, and rows coming in. */

export type CsvExportRequest = {
  readonly engine: Engine;
  readonly principal: Principal;
  readonly record: Snapshot;
  readonly layout: CsvLayout;
  /** Whether a file of everything below goes all the way down; otherwise, of a service, as far as its schemas. */
  readonly isWhole: boolean;
};

/** Rows behind the header, some at a time. */
export type CsvExporter = (wish: CsvExportRequest) => AsyncIterable<readonly CsvRow[]>;

export type CsvImportRequest = Omit<CsvExportRequest, 'isWhole'> & {
  readonly source: TextSource;
  readonly isSafe: boolean;
  readonly dryRun: boolean;
  /** Called between rows; throws when the import should go no further. */
  readonly checkRunning: () => void;
  /** Told of a failure that nobody expected; only the row fails that it befell. */
  readonly onUnexpected: (failure: unknown) => void;
};

/** What became of the rows, some at a time and in their order. */
export type CsvImporter = (wish: CsvImportRequest) => AsyncIterable<readonly RowReport[]>;
