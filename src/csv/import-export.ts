import type { Principal } from '../access/principal.ts';
import type { Engine } from '../catalog/engine.ts';
import type { Snapshot } from '../catalog/read/snapshot.ts';
import type { CsvRow } from '../http/csv-writer.ts';
import type { RowReport } from './import-report.ts';
import type { CsvLayout } from './layout.ts';
import type { TextSource } from './text/text-source.ts';

/** The interfaces that every layout implements: exporting and importing rows. */

export type CsvExportRequest = {
  readonly engine: Engine;
  readonly principal: Principal;
  readonly record: Snapshot;
  readonly layout: CsvLayout;
  /** Whether an export of a service includes everything below its schemas; otherwise it ends at the schemas. */
  readonly isWhole: boolean;
};

/** Yields the rows after the header in batches. */
export type CsvExporter = (request: CsvExportRequest) => AsyncIterable<readonly CsvRow[]>;

export type CsvImportRequest = Omit<CsvExportRequest, 'isWhole'> & {
  readonly source: TextSource;
  readonly isSafe: boolean;
  readonly dryRun: boolean;
  /** Called between rows; throws when the import must stop. */
  readonly checkRunning: () => void;
  /** Called with an unexpected failure, which fails only its own row. */
  readonly onUnexpected: (failure: unknown) => void;
};

/** Yields the row reports in batches, in the order of the rows. */
export type CsvImporter = (request: CsvImportRequest) => AsyncIterable<readonly RowReport[]>;
