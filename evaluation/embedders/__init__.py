"""What turns texts and images into vectors: baselines, models, endpoints, stored vectors."""
