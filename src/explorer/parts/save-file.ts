/** Saves what the page holds as a file of the visitor. */
export const saveFile = (name: string, content: Blob): void => {
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser reads the address after the click has returned.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
};

/** A name for files made of the name of an asset, which may have any character. */
export const fileNameOf = (name: string, ending: string): string =>
  `${name.replace(/[^\p{L}\p{N}._-]+/gu, '_').slice(0, 120)}.${ending}`;
