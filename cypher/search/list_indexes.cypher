// Lists the full-text indexes of documents there are: the one in use, and those of former versions of the program.
SHOW FULLTEXT INDEXES
YIELD name, state
WHERE name STARTS WITH 'search_documents_'
RETURN name, state
