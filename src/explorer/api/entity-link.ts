/** The asset that an entity link names, such as `<#E::table::a.b.c.d::columns::e>`, and the column in it. */
export type LinkedAsset = { readonly type: string; readonly fqn: string; readonly column: string | undefined };

const LINK = /^<#E::([^:>]+)::(.+?)(?:::columns::([^>]+?))?>$/;

export const readEntityLink = (link: string): LinkedAsset | undefined => {
  const [, type, fqn, column] = LINK.exec(link) ?? [];
  return type === undefined || fqn === undefined ? undefined : { type, fqn, column: column?.split('::')[0] };
};
