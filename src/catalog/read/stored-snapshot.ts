import type { SecretBox } from '../../access/secret-box.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Registry } from '../registry.ts';
import { storedSnapshotFields } from './fields.ts';
import { renderRecord, type View } from './render.ts';
import { type Snapshot, withoutInherited } from './snapshot.ts';

type StorageViewContext = { readonly registry: Registry; readonly secrets: SecretBox };

/** A view without addresses: the form in which states are compared and kept. */
export const storageView = (context: StorageViewContext, fields: ReadonlySet<string>): View => ({
  registry: context.registry,
  hrefBase: undefined,
  fields,
  openSecret: (value) => context.secrets.open(value),
});

/** A record as events and history keep it: every member a request could set, no addresses, secrets masked. */
export const storedSnapshot = (context: StorageViewContext, record: Snapshot): JsonObject =>
  renderRecord(withoutInherited(record), storageView(context, storedSnapshotFields(record.kind)));
