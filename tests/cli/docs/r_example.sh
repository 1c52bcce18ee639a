# The functions of R in rvm-tools(7) run as they are printed, and say what the tools say.
set -eu

command -v Rscript >/dev/null || { echo "(no Rscript)"; exit 77; }
PATH=$BIN:$PATH

# In lines between .nf and .fi; .sp is a blank line, `\-` a dash, `\e` a backslash.
sed -n '/^\.nf/,/^\.fi/p' "$SRC/man/rvm-tools.7" | sed '/^\.[nf][fi]/d; s/^\.sp//; s/\\-/-/g; s/\\e/\\/g' >example.R
[ "$(wc -l <example.R)" -ge 80 ] || { echo "the page has too little R"; exit 1; }

cat >>example.R <<'END'
# ---- What the page does not have: checks.
fit <- rvm_tools(iris[, 1:4], iris$Species, c("--standardize", "-g", "0.25"))
all_p <- predict(fit, iris[, 1:4], type = "prob")
class <- predict(fit, iris[, 1:4])
stopifnot(identical(levels(class), levels(iris$Species)), mean(class == iris$Species) > 0.95,
          identical(names(all_p), levels(iris$Species)), abs(rowSums(all_p) - 1) < 1e-5,
          levels(class)[max.col(all_p)] == class)
# A class that is not the first of the data has its own column, too.
back <- iris[150:1, ]
stopifnot(max(abs(predict(rvm_tools(back[, 1:4], back$Species, c("--standardize", "-g", "0.25")),
                          iris[, 1:4], type = "prob") - all_p)) < 1e-4)
# A matrix of two targets; one row; a copy from a file.
two <- rvm_tools(as.matrix(mtcars[, 3:6]), as.matrix(mtcars[, 1:2]), "--standardize")
stopifnot(dim(predict(two, mtcars[, 3:6])) == c(32, 2), cor(predict(two, mtcars[, 3:6])[, 1], mtcars$mpg) > 0.8)
saveRDS(two, "saved")
one <- predict(readRDS("saved"), mtcars[7, 3:6], type = "variance")
stopifnot(length(one$mean) == 2, one$variance > 0,
          abs(one$mean - predict(two, mtcars[, 3:6])[7, ]) < 1e-10)
# An error is that of the tool.
said <- tryCatch(rvm_tools(mtcars[, 3:6], mtcars$mpg, c("-g", "-1")), error = conditionMessage)
stopifnot(grepl("rvm-train: ERROR: gamma < 0", said))
cat("gaps", requireNamespace("caret", quietly = TRUE), "\n")
# The same rows by the shell.
sinc <- read.table(text = gsub("1:", "", readLines(file.path(Sys.getenv("DATA"), "sinc.train"))))
fit <- rvm_tools(sinc[, 2, drop = FALSE], sinc[, 1], c("-t", "6"))
writeLines(sprintf("%.17g", predict(fit, sinc[, 2, drop = FALSE])), "by_r")
END
Rscript --vanilla example.R >out 2>err || { cat out err; exit 1; }
rvm-train -q -s 3 -t 6 "$DATA/sinc.train" model
rvm-predict -q "$DATA/sinc.train" model by_shell
cmp by_r by_shell || { echo "R and the shell differ"; exit 1; }
