"""Built-in cases, one file each; `dem cases` lists them."""
