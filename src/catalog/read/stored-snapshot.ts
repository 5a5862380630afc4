import type { SecretBox } from '../../access/secret-box.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Registry } from '../registry.ts';
import { storedSnapshotFields } from './fields.ts';
import { renderRecord, type View } from './render.ts';
import { type Snapshot, withoutInherited } from './snapshot.ts';

type StorageViewContext = { readonly registry: Registry; readonly secrets: SecretBox };

/** The view without hrefs in which states are compared and stored. */
export const storageView = (context: StorageViewContext, fields: ReadonlySet<string>): View => ({
  registry: context.registry,
  hrefBase: undefined,
  fields,
  openSecret: (value) => context.secrets.open(value),
});

/**
 * Renders a record as events and history store it: every member that a request can set, without hrefs, with secrets
 * masked.
 */
export const storedSnapshot = (context: StorageViewContext, record: Snapshot): JsonObject =>
  renderRecord(withoutInherited(record), storageView(context, storedSnapshotFields(record.kind)));
