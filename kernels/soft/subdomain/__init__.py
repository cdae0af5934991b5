"""A rank's part of a step: ghosts, exchange of the halo, the step of a subdomain."""
