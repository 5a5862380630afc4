import type { GenericSchema } from 'valibot';

/** A member with an address of its own, `{id}/<path>`: written whole, read, or removed. Answers are the record. */
export type SubResource = {
  readonly path: string;
  readonly member: string;
  readonly methods: readonly ('GET' | 'PUT' | 'DELETE')[];
  /** A PUT adds the items it is sent to those that are there, and a DELETE takes away those it is sent. */
  readonly items?: boolean;
  /** Each item has an address of its own below, by the FQN of the record of that type that this member of it points at. */
  readonly item?: { readonly member: string; readonly type: string; readonly schema: GenericSchema };
  /** What a caller must be allowed to do to write it. To read it, the same as to read the member among others. */
  readonly edit: string;
};
