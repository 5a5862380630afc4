// Lists the full-text indexes of documents: the one in use and those of earlier versions.
SHOW FULLTEXT INDEXES
YIELD name, state
WHERE name STARTS WITH 'search_documents_'
RETURN name, state
