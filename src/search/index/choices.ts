/** All ways to take so many of some. */
export const choices = <T>(all: readonly T[], least: number): readonly (readonly T[])[] => {
  const [first, ...rest] = all;
  if (least <= 0) return [[]];
  if (first === undefined) return [];
  return [...choices(rest, least - 1).map((some) => [first, ...some]), ...choices(rest, least)];
};
