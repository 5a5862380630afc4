import type { SecretBox } from '../../access/secret-box.ts';
import type { JsonObject } from '../../model/json.ts';
import type { Registry } from '../registry.ts';
import { keptFields } from './fields.ts';
import { render, type View } from './render.ts';
import { type Snapshot, withoutHanded } from './snapshot.ts';

type Keeper = { readonly registry: Registry; readonly secrets: SecretBox };

/** A view without addresses: the form in which states are compared and kept. */
export const plainView = (keeper: Keeper, fields: ReadonlySet<string>): View => ({
  registry: keeper.registry,
  hrefBase: undefined,
  fields,
  openSecret: (value) => keeper.secrets.open(value),
});

/** A record as events and history keep it: every member a request could set, no addresses, secrets masked. */
export const keptForm = (keeper: Keeper, record: Snapshot): JsonObject =>
  render(withoutHanded(record), plainView(keeper, keptFields(record.kind)));
