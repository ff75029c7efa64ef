"""What leaves the history as files, and comes back: tables, reports, bundles. Pure of Qt."""
