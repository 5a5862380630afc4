/**
 * The address of an asset's page: the collection of its kind and its full name, as in `/tables/shop.pg.public.orders`.
 * All links that this program writes come from here.
 */
export const assetPagePath = (collection: string, fullyQualifiedName: string): string =>
  `/${collection}/${encodeURIComponent(fullyQualifiedName)}`;
