import { statement } from '../../graph/statement.ts';

export const listProductAssets = statement<
  { id: string; limit: number },
  { id: string; entityType: string; isOutput: boolean }
>('insight/promises/list_product_assets', { params: ['id', 'limit'], row: ['id', 'entityType', 'isOutput'] });

export type PromisingContract = { readonly id: string; readonly slaJson: string | null };

export type PromisesRow = {
  readonly id: string;
  readonly own: PromisingContract | null;
  readonly inherited: PromisingContract | null;
};

export const readPromises = statement<{ ids: readonly string[] }, PromisesRow>('insight/promises/read_contracts', {
  params: ['ids'],
  row: ['id', 'own', 'inherited'],
});
