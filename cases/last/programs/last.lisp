;;; A list of 1 to N, and its last element. N is the last argument.

(defun build (n)
  (loop for i from 1 to n collect i))

(let ((n (parse-integer (first (last sb-ext:*posix-argv*)))))
  (format t "~d~%" (first (last (build n)))))
