/** A promise that a test keeps when it wants to, for what has to wait until then. */
export type Gate = { readonly opened: Promise<void>; open(): void };

export const createGate = (): Gate => {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
};
