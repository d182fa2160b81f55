type Brand = { product: string; owner?: string; picture?: string };

/**
 * The brand of this host, which the server writes into the page (docs/brand.md): what the product is called, whose it is, and the
 * picture beside the sign-in. Colours and logo come by the page's style.
 */
export function brand(): Brand {
  const { product = "Balcão", ...others } = document.documentElement.dataset;
  return { product, ...others };
}
