import { labelKind } from '../api/kinds.ts';
import { KindIcon } from './kind-icon.tsx';

/** What a record is, in words. */
export const KindName = ({ type }: { readonly type: string }) => (
  <span className="chip">
    <KindIcon type={type} />
    {labelKind(type)}
  </span>
);
