import type { GenericSchema } from 'valibot';
import type { Json, JsonObject } from '../json.ts';

/**
 * A member with an address of its own, `{id}/<path>`: written as a whole, read, or removed. The answer is the record.
 */
export type SubResource = {
  readonly path: string;
  readonly member: string;
  readonly methods: readonly ('GET' | 'PUT' | 'DELETE')[];
  /** A PUT adds the given items to the stored ones, and a DELETE removes the given ones. */
  readonly items?: boolean;
  /**
   * Each item has an address of its own, by the FQN of the record of that type that this member of the item references.
   */
  readonly item?: { readonly member: string; readonly type: string; readonly schema: GenericSchema };
  /** Applies what a new value says of the record's other members to its document. */
  readonly apply?: (document: JsonObject, value: Json) => JsonObject;
  /** The operation required to write it. Reading it requires the same as reading the member with the record. */
  readonly edit: string;
};
