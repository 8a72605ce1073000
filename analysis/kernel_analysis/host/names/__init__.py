"""What a name means across files: scopes, imports, re-exports, branches. Looks at files; never imports them."""
