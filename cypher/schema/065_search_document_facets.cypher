// Documents that are counted as the same are looked up by one of them.
CREATE INDEX SearchDoc_facetKey IF NOT EXISTS FOR (n:SearchDoc) ON (n.facetKey)
