// Counts the records that the search index has yet to look at, and those that the other engine has yet to be told of.
RETURN COUNT { (:Dirty) } + COUNT { (:Unsent) } AS waiting
