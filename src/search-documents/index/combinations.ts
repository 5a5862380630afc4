/** Returns all combinations of `least` items. */
export const combinationsOf = <T>(all: readonly T[], least: number): readonly (readonly T[])[] => {
  const [first, ...rest] = all;
  if (least <= 0) return [[]];
  if (first === undefined) return [];
  return [...combinationsOf(rest, least - 1).map((some) => [first, ...some]), ...combinationsOf(rest, least)];
};
