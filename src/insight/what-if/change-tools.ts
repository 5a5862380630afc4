import type { Engine } from '../../catalog/engine.ts';
import type { OdcsDocuments } from '../../contracts/odcs/texts/documents.ts';
import type { SqlReader } from '../../lineage/sql/reader.ts';
import type { EdgeStore } from '../../lineage/write/edge-store.ts';
import type { Overlay } from './overlay.ts';

/** What changes are applied with. */
export type ChangeTools = {
  readonly overlay: Overlay;
  /** The engine as if the changes before were made. */
  readonly engine: Engine;
  readonly edges: EdgeStore;
  readonly documents: OdcsDocuments;
  readonly reader: SqlReader;
};
