import { labelKind } from '../api/kinds.ts';

/** What a record is, in words. */
export const KindName = ({ type }: { readonly type: string }) => <span className="chip">{labelKind(type)}</span>;
