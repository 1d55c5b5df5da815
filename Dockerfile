# The worker's image: this package with the client of a model's server, from locked requirements.
FROM python:3.11.14-slim-bookworm

WORKDIR /app
COPY requirements/worker.lock requirements/
RUN pip install --no-cache-dir --require-hashes -r requirements/worker.lock
COPY pyproject.toml README.md prefect.yaml ./
COPY vocab vocab
COPY artifacts artifacts
COPY generators generators
COPY validators validators
COPY trainer trainer
COPY evaluation evaluation
COPY flows flows
RUN pip install --no-cache-dir --no-deps .

RUN useradd --create-home --uid 1000 saber && mkdir /data && chown saber /data
USER saber
WORKDIR /home/saber
RUN cp /app/prefect.yaml .
VOLUME /data
CMD ["saber", "--help"]
