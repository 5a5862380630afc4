import { useQuery } from '@tanstack/react-query';
import { ask } from './ask.ts';
import type { Schemas } from './types.ts';

const ALLOWING: ReadonlySet<string> = new Set(['allow', 'conditionalAllow']);

export type MayDo = (operation: string) => boolean;

/** What the caller may do with a record, or with any of its kind. Until that is known, nothing. */
export const usePermissions = (type: string, id?: string): MayDo => {
  const path = id === undefined ? type : `${type}/${id}`;
  const { data } = useQuery({
    queryKey: ['permissions', path],
    queryFn: ({ signal }) => ask<Schemas['ResourcePermission']>(`/v1/permissions/${path}`, { signal }),
  });
  const allowed = new Set(
    data?.permissions.filter(({ access }) => ALLOWING.has(access)).map(({ operation }) => String(operation)),
  );
  return (operation) => allowed.has(operation) || allowed.has('EditAll');
};
