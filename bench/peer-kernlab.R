# bench: kernlab's relevance vector machine behind one command line, for bench/run.sh; regression,
# the only kind that kernlab has.
#
#     Rscript peer-kernlab.R GAMMA TRAINING_FILE TEST_FILE
#     Rscript peer-kernlab.R --version
#
# The seconds are those of the calls that train and predict, without starting R and without reading.
# kernlab fits no constant, so that the targets are centred here, as bench/peer-dlib.cc does.

suppressPackageStartupMessages(library(kernlab))

# libsvm's text to a matrix of `inputs` columns (as many as the largest index by default).
read_rows <- function(name, inputs = NULL) {
    words <- strsplit(trimws(readLines(name)), "[ \t]+")
    targets <- as.numeric(vapply(words, `[`, "", 1))
    pairs <- strsplit(unlist(lapply(words, `[`, -1)), ":", fixed = TRUE)
    row <- rep(seq_along(words), lengths(words) - 1)
    index <- as.integer(vapply(pairs, `[`, "", 1))
    value <- as.numeric(vapply(pairs, `[`, "", 2))
    if (is.null(inputs)) inputs <- max(index)
    inside <- index >= 1 & index <= inputs
    rows <- matrix(0, length(words), inputs)
    rows[cbind(row, index)[inside, ]] <- value[inside]
    list(rows = rows, targets = targets)
}

# Of the wall clock.
seconds <- function(expression) system.time(expression)[["elapsed"]]

words <- commandArgs(trailingOnly = TRUE)
if (identical(words, "--version")) {
    cat(as.character(packageVersion("kernlab")), " on ", R.version.string, "\n", sep = "")
    quit()
}
if (length(words) != 3) stop("usage: peer-kernlab.R GAMMA TRAINING_FILE TEST_FILE")

train <- read_rows(words[2])
test <- read_rows(words[3], ncol(train$rows))
centre <- mean(train$targets)

training <- seconds(model <- rvm(train$rows, train$targets - centre, kernel = "rbfdot",
                                 kpar = list(sigma = as.numeric(words[1]))))
predicting <- seconds(predicted <- predict(model, test$rows) + centre)

cat("Seconds = ", training, "\n", sep = "")
cat("Relevance vectors = ", length(RVindex(model)), "\n", sep = "")
cat("Predictions per second = ", nrow(test$rows) / predicting, "\n", sep = "")
cat("Mean squared error = ", mean((predicted - test$targets)^2), "\n", sep = "")
