import { statement } from '../graph/statement.ts';

export const countWaiting = statement<Record<string, never>, { waiting: number }>('store/count_waiting', {
  params: [],
  row: ['waiting'],
});
