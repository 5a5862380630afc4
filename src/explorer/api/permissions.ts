import { useQuery } from '@tanstack/react-query';
import { ask } from './ask.ts';
import type { Schemas } from './types.ts';

const ALLOWING: ReadonlySet<string> = new Set(['allow', 'conditionalAllow']);

export type MayDo = (operation: string) => boolean;

type Answer = Schemas['ResourcePermission'];

const readMayDo = (answer: Answer | undefined): MayDo => {
  const allowed = new Set(
    answer?.permissions.filter(({ access }) => ALLOWING.has(access)).map(({ operation }) => String(operation)),
  );
  return (operation) => allowed.has(operation) || allowed.has('EditAll');
};

const pathOf = (type: string, id: string | undefined): string => (id === undefined ? type : `${type}/${id}`);

const askPermissions = (path: string, signal: AbortSignal) => ask<Answer>(`/v1/permissions/${path}`, { signal });

export const fetchPermissions = async (type: string, id: string, signal: AbortSignal): Promise<MayDo> =>
  readMayDo(await askPermissions(pathOf(type, id), signal));

/** What the caller may do with a record, or with any of its kind. Until that is known, nothing. */
export const usePermissions = (type: string, id?: string): MayDo => {
  const path = pathOf(type, id);
  const { data } = useQuery({ queryKey: ['permissions', path], queryFn: ({ signal }) => askPermissions(path, signal) });
  return readMayDo(data);
};
