// Counts the records that still have to be indexed for search, and those still to be sent to Typesense.
RETURN COUNT { (:Dirty) } + COUNT { (:Unsent) } AS waiting
