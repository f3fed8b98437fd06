;;; The same as last.lisp, and then what the runtime says of its heap: the instrument is a part of
;;; what is measured.

(defun build (n)
  (loop for i from 1 to n collect i))

(let* ((n (parse-integer (first (last sb-ext:*posix-argv*))))
       (list (build n)))
  (format t "~d~%" (first (last list)))
  (room t)
  ;; So that the list is alive while it is counted.
  (assert (= (length list) n)))
