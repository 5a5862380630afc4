import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { askContractJudgement, type ContractSubject } from '../api/contracts.ts';
import { useSettled } from '../parts/use-settled.ts';
import { type ContractForm, toBody } from './form.ts';
import { findProblems } from './problems.ts';

/** What the service says of the contract as it is typed; nothing is stored. */

/** A judgement per letter would only be thrown away. */
const PAUSE_MS = 400;

export const useJudgement = (form: ContractForm, { id, type }: ContractSubject) => {
  const settled = useSettled(form, PAUSE_MS);
  const body = useMemo(() => toBody(settled, { id, type }), [settled, id, type]);
  const { data, error, isFetching, refetch } = useQuery({
    queryKey: ['judgement', body],
    queryFn: ({ signal }) => askContractJudgement(body, signal),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
  const problems = useMemo(() => findProblems(settled, data), [settled, data]);
  return { judged: data, problems, error, refetch, isJudging: isFetching || settled !== form };
};

export type Judgement = ReturnType<typeof useJudgement>;
